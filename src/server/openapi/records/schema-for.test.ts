// Most of this is told by the compiler: each line that is marked would be an error if the marked call compiled.
import { expect, it } from 'vitest'
import { z } from 'zod'
import type { Json } from '../../../core/json.ts'
import { json } from './field-schemas.ts'
import { schemaFor } from './schema-for.ts'

interface Parcel {
  readonly parcel_id: string
  readonly weight: number | null
  readonly marks: readonly string[]
  readonly inside: { readonly note?: string; readonly data: Json }
}

const fields = {
  parcel_id: z.string(),
  weight: z.number().nullable(),
  marks: z.array(z.string()),
  inside: z.strictObject({ note: z.string().exactOptional(), data: json }),
}

it('a schema that agrees with the interface is given back as it is, and no other compiles', () => {
  const of = schemaFor<Parcel>()
  const schema = z.strictObject(fields)
  expect(of(schema)).toBe(schema)
  const { marks: _, ...fewer } = fields
  // @ts-expect-error A field is missing.
  of(z.strictObject(fewer))
  // @ts-expect-error A field that the interface does not have.
  of(z.strictObject({ ...fields, colour: z.string() }))
  // @ts-expect-error One that the interface does not have, and that need not be there.
  of(z.strictObject({ ...fields, colour: z.string().exactOptional() }))
  // @ts-expect-error It may be null.
  of(z.strictObject({ ...fields, weight: z.number() }))
  // @ts-expect-error It is always there.
  of(z.strictObject({ ...fields, parcel_id: z.string().exactOptional() }))
  // @ts-expect-error A list of something else.
  of(z.strictObject({ ...fields, marks: z.array(z.number()) }))
  // @ts-expect-error A field of a field is missing.
  of(z.strictObject({ ...fields, inside: z.strictObject({ data: json }) }))
  const anything = z.strictObject({ note: z.string().exactOptional(), data: z.any() })
  // @ts-expect-error Anything is not any JSON.
  of(z.strictObject({ ...fields, inside: anything }))
  // @ts-expect-error Fewer states than there are.
  schemaFor<{ state: 'on' | 'off' }>()(z.strictObject({ state: z.enum(['on']) }))
})
