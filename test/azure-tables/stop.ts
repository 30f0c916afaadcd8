import type { FakeRequest } from './fake-table-service.ts'

/** A process that stops before the first request of a kind, with whatever else it does, until it is told to go on. */
export class Stop {
  readonly #goOn = Promise.withResolvers<void>()
  readonly #is: (request: FakeRequest) => boolean
  isReached = false

  constructor(is: (request: FakeRequest) => boolean) {
    this.#is = is
  }

  readonly before = async (request: FakeRequest): Promise<void> => {
    if (!this.isReached && !this.#is(request)) return
    this.isReached = true
    await this.#goOn.promise
  }

  goOn(): void {
    this.#goOn.resolve()
  }
}

/** A line is put into the log. */
export const isLine = ({ writes = [] }: FakeRequest): boolean =>
  writes.some((write) => write.verb === 'insert' && 'changes' in write.columns)

/** The row that decides over a job is written. */
export const isWriteOf =
  (id: string) =>
  ({ table, pk, writes }: FakeRequest): boolean =>
    table === 'Steps' && writes !== undefined && pk?.endsWith(`~${id}`) === true
