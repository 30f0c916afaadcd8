import type { JobRecord } from '../../core/job/record.ts'

type Waiting = Pick<JobRecord, 'tenant_id' | 'waits_for'>

/** Topics that jobs will wait for, by how many: what was decided about them is not durable yet. */
export class AboutToWait {
  readonly #topics = new Map<string, number>()

  get isEmpty(): boolean {
    return this.#topics.size === 0
  }

  has(tenant_id: string, topic: string): boolean {
    return this.#topics.size > 0 && this.#topics.has(nameOf(tenant_id, topic))
  }

  add(job: Waiting): void {
    this.#count(job, 1)
  }

  remove(job: Waiting): void {
    this.#count(job, -1)
  }

  #count({ tenant_id, waits_for }: Waiting, by: 1 | -1): void {
    // Nearly no job waits for any.
    for (let index = 0; index < waits_for.length; index++) {
      const name = nameOf(tenant_id, waits_for[index] as string)
      const count = (this.#topics.get(name) ?? 0) + by
      if (count === 0) this.#topics.delete(name)
      else this.#topics.set(name, count)
    }
  }
}

function nameOf(tenant_id: string, topic: string): string {
  return `${tenant_id}\n${topic}`
}
