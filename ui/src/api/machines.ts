import { queryOptions } from '@tanstack/react-query'
import type { Machine } from '../../../src/core/machine.ts'
import type { RecordKind } from '../../../src/core/machines/all.ts'
import { ask } from './client.ts'

export type Machines = { readonly [K in RecordKind]: Machine<string> }

/** The same for as long as the server runs. */
export const machinesQuery = queryOptions({
  queryKey: ['machines'],
  queryFn: ({ signal }) => ask<Machines>('/v1/machines', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})
