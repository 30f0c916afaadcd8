import { InvalidInput } from '../../errors/input-errors.ts'

/** Stands for all queues that are not named. */
const ALL = '*'

/** Which queues are taken over, and what each is called here. */
export class QueueChoice {
  readonly #names: ReadonlyMap<string, string>
  readonly #takesAll: boolean

  /** `mail` takes one, `mail=post` takes it under another name, `*` takes those that are not named; nothing takes all. */
  constructor(given: readonly string[] = []) {
    const names = new Map<string, string>()
    for (const text of given) {
      const at = text.indexOf('=')
      const [old, name] = at < 0 ? [text, text] : [text.slice(0, at), text.slice(at + 1)]
      if (old.trim() === '' || name.trim() === '') throw badQueue(text)
      if (old === ALL && at >= 0) throw badQueue(text)
      names.set(old, name)
    }
    this.#takesAll = given.length === 0 || names.has(ALL)
    this.#names = names
  }

  readonly wants = (queue: string): boolean => this.#takesAll || this.#names.has(queue)

  nameOf(queue: string): string {
    return this.#names.get(queue) ?? queue
  }
}

function badQueue(text: string): InvalidInput {
  const next =
    'Write --queue mail for one queue, --queue mail=post to give it another name, --queue "*" for the others.'
  return new InvalidInput('queue', `--queue ${JSON.stringify(text)} names no queue`, next)
}
