import type { JobAggregate } from '../core/aggregate.ts'
import type { Board } from '../core/group/board.ts'
import { type JobAction, jobActions } from '../core/job/actions.ts'
import type { AttemptsTold } from '../core/job/attempts-told.ts'
import type { Store } from '../store/store.ts'
import type { Clock } from '../world/clock.ts'
import { askDecision } from './ask-decision.ts'
import { attempts } from './attempts.ts'
import { type BoardQuery, board } from './board.ts'
import { type Related, related } from './related.ts'
import { type SearchQuery, type SearchResult, search } from './search.ts'

/** `ledger.views`: what people look at, put together from records and history. None of it is kept. */
export class Views {
  readonly #store: Store
  readonly #clock: Clock

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** What may be done with a job now, and why the rest may not. Null when there is no such job; so for those below. */
  actions(job_id: string, tenant_id: string): Promise<readonly JobAction[] | null> {
    return this.#of(job_id, tenant_id, (aggregate) =>
      askDecision(this.#store, this.#clock.now(), (given) => jobActions(aggregate, given)),
    )
  }

  /** Jobs that have to do with it. */
  related(job_id: string, tenant_id: string): Promise<Related | null> {
    return this.#of(job_id, tenant_id, ({ job }) => related(this.#store, this.#clock, job))
  }

  /** Every attempt at its steps. */
  attempts(job_id: string, tenant_id: string): Promise<AttemptsTold | null> {
    return this.#of(job_id, tenant_id, (aggregate) => attempts(this.#store, aggregate))
  }

  /** Workstreams by how they are. */
  board(query: BoardQuery): Promise<Board> {
    return board(this.#store, this.#clock.now(), query)
  }

  /** Jobs, documents, runs and workstreams by their id, or a part of one of their names. */
  search(query: SearchQuery): Promise<SearchResult> {
    return search(this.#store, this.#clock, query)
  }

  async #of<T>(
    job_id: string,
    tenant_id: string,
    look: (aggregate: JobAggregate) => Promise<T>,
  ): Promise<T | null> {
    const aggregate = await this.#store.load({ kind: 'job', tenant_id, id: job_id })
    return aggregate === null ? null : look(aggregate)
  }
}
