import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openJournal } from '../../../src/store/journal/journal.ts'
import { realWorld } from '../../../src/world/world.ts'
import { type NaiveLedger, readLedger } from '../naive-reader.ts'
import { CALLERS, JOURNAL, nameOfCaller, SHARED } from './what-is-written.ts'

/** What children said was acknowledged, over all their lives. */
export class Acknowledged {
  readonly #own = new Map<number, number>()
  readonly #shared = new Set<string>()
  readonly #jobs = new Set<string>()
  #count = 0

  get count(): number {
    return this.#count
  }

  hear(lines: readonly string[]): void {
    for (const line of lines) {
      const [what, caller, n] = line.split(' ')
      if (what === 'own') this.#own.set(Number(caller), Number(n))
      else if (what === 'shared') this.#shared.add(`${caller} ${n}`)
      else if (what === 'job') this.#jobs.add(`job-${caller}-${n}`)
      else continue
      this.#count++
    }
  }

  /** Looks at the files as they are, without any code of the engine. */
  mustBeIn(folder: string): NaiveLedger {
    const ledger = readLedger(filesIn(folder), folder)
    for (let caller = 0; caller < CALLERS; caller++) this.#mustHaveOwn(ledger, caller)
    const shared = ledger.history.filter(({ id }) => id === SHARED).map(({ metadata }) => placeOf(metadata))
    assert.equal(new Set(shared).size, shared.length, 'each transition once')
    assert.deepEqual(
      [...this.#shared.difference(new Set(shared))],
      [],
      'nothing that was acknowledged is lost',
    )
    for (const job_id of this.#jobs) {
      assert(ledger.state.records.has(JSON.stringify(['job', 'acme', job_id])), `${job_id} is there`)
    }
    return ledger
  }

  /** Everything that was acknowledged, and at most the one thing more that was under way; each once, in order. */
  #mustHaveOwn({ state, history }: NaiveLedger, caller: number): void {
    const id = nameOfCaller(caller)
    const moves = history.filter((record) => record.id === id).map(({ metadata }) => numberOf(metadata))
    const last = this.#own.get(caller) ?? 0
    assert.deepEqual(
      moves,
      Array.from({ length: moves.length }, (_, n) => n + 1),
      `${id}: each once, in order`,
    )
    assert(moves.length >= last && moves.length <= last + 1, `${id} is at ${moves.length}, told ${last}`)
    const record = state.records.get(JSON.stringify(['document', 'acme', id]))
    assert.equal(numberOf(record?.metadata), moves.at(-1), `${id} is where its history ends`)
    // What was under way and came through counts from now on.
    this.#own.set(caller, moves.length)
  }
}

/** Opens it for real, which takes what a killed process left and tidies up, and has it checked. */
export async function mustOpen(folder: string, ledger: NaiveLedger): Promise<void> {
  const complaints: { code?: string }[] = []
  const note = (fields: object) => void complaints.push(fields)
  const logger = { ...realWorld.logger, warn: note, error: note }
  const store = await openJournal(folder, { ...realWorld, logger }, JOURNAL)
  try {
    assert.deepEqual(
      complaints.filter(({ code }) => code !== 'TORN_BATCH'),
      [],
    )
    assert.deepEqual(await store.check(), [])
    const { records, audit_records } = await store.stats()
    assert.equal(audit_records, ledger.history.length)
    assert.equal(
      Object.values(records).reduce((sum, n) => sum + n),
      ledger.state.records.size,
    )
  } finally {
    await store.close()
  }
}

/** All files of a folder, with what is in them. */
export function filesIn(folder: string): ReadonlyMap<string, Uint8Array> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('LOCK'))
  return new Map(
    paths.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name))]),
  )
}

function numberOf(metadata: unknown): number | undefined {
  return (metadata as { readonly n?: number } | undefined)?.n
}

function placeOf(metadata: unknown): string {
  const { caller, n } = metadata as { readonly caller: number; readonly n: number }
  return `${caller} ${n}`
}
