import { idOf } from '../../../src/core/aggregate.ts'
import { LedgerDamaged, type Place } from '../../../src/errors/journal-errors.ts'
import type { Store } from '../../../src/store/store.ts'
import { moveDocument } from '../../../src/testing/conformance/commands.ts'
import { countsIn, findIn } from '../../../src/testing/conformance/history/reference-reads.ts'
import { auditAll, findAll } from '../../../src/testing/conformance/reading.ts'
import type { CrashDisk } from '../../../src/testing/crash-disk.ts'
import { canonical, KINDS } from '../compare-ledger.ts'
import { ExpectedLedger } from '../expected-ledger.ts'
import { Life } from '../life.ts'
import type { Written } from '../witness.ts'
import { JOURNAL } from './damaged-ledger.ts'

const PAGE = 1000

/** Everything that can be asked of a ledger, and the answers as text. */
type Answers = ReadonlyMap<string, string>

/** What opening a ledger came to. */
export interface Outcome {
  /** Why it can only be read. */
  readonly damage: Place | null
  /** Codes of what was logged. */
  readonly complaints: readonly string[]
  /** How many commits it holds; null when no number of them explains what it answers. */
  readonly commits: number | null
  /** What could not be answered, because it is damaged. */
  readonly unreadable: readonly string[]
  /** Code of the error when it was written to; null when it could be. */
  readonly refused: string | null
  /** How much `check` has to say; null when it was not asked. */
  readonly findings: number | null
}

/** Ledgers in which some of the first commits were written, by how many. */
export class Prefixes {
  readonly #answers: ReadonlyMap<number, Answers>

  constructor(written: readonly Written[], counts: readonly number[]) {
    this.#answers = new Map(counts.map((n) => [n, expectedAnswers(new ExpectedLedger(written.slice(0, n)))]))
  }

  /** Which of them gives these answers. */
  which(given: Answers): number | null {
    for (const [count, answers] of this.#answers) {
      if ([...given].every(([name, answer]) => answers.get(name) === answer)) return count
    }
    return null
  }
}

/** How closely to look: there are many thousands of damaged ledgers, and only some can be asked everything. */
export type Care = 'quickly' | 'at all records' | 'thoroughly'

export async function outcomeOf(disk: CrashDisk, prefixes: Prefixes, care: Care): Promise<Outcome> {
  const life = new Life({ disk, journal: JOURNAL, nth: 2 })
  await life.open()
  const { answers, unreadable } = await askAll(life.store, care)
  const damage = life.store.journal.damage?.place ?? null
  const findings = care === 'thoroughly' ? (await life.store.check()).length : null
  const refused = await life.act(moveDocument('afterwards', 'fetching')).then(
    () => null,
    (error: { code?: string }) => error.code ?? String(error),
  )
  await life.close()
  return {
    damage,
    complaints: life.complaints.map(({ fields }) => (fields as { code: string }).code),
    commits: prefixes.which(answers),
    unreadable,
    refused,
    findings,
  }
}

async function askAll(store: Store, care: Care) {
  const answers = new Map<string, string>()
  const unreadable: string[] = []
  const ask = async <T>(name: string, read: () => Promise<T>): Promise<T | null> => {
    try {
      const answer = await read()
      answers.set(name, canonical(answer))
      return answer
    } catch (error) {
      if (!(error instanceof LedgerDamaged)) throw error
      unreadable.push(name)
      return null
    }
  }
  for (const kind of care === 'quickly' ? (['document'] as const) : KINDS) {
    const records = await ask(`find ${kind}`, () => findAll(store, { kind, limit: PAGE }))
    if (care !== 'thoroughly') continue
    for (const record of records ?? []) {
      const { tenant_id } = record
      const id = idOf(record)
      await ask(`get ${kind} ${tenant_id} ${id}`, () => store.get({ kind, tenant_id, id }))
    }
    await ask(`counts ${kind}`, async () => nonZero(await store.counts(kind)))
  }
  await ask('audit', async () => (await auditAll(store, { limit: PAGE })).map(withoutPlace))
  return { answers, unreadable }
}

function expectedAnswers({ model }: ExpectedLedger): Answers {
  const answers = new Map<string, string>()
  for (const kind of KINDS) {
    const records = findIn(model, { kind })
    answers.set(`find ${kind}`, canonical(records))
    for (const record of records) {
      answers.set(`get ${kind} ${record.tenant_id} ${idOf(record)}`, canonical(record))
    }
    answers.set(`counts ${kind}`, canonical(countsIn(model, kind)))
  }
  answers.set('audit', canonical(model.log))
  return answers
}

function withoutPlace({ seq, cursor, ...rest }: { readonly seq: number; readonly cursor: string }): object {
  return rest
}

function nonZero(counts: { readonly [state: string]: number }): object {
  return Object.fromEntries(Object.entries(counts).filter(([, n]) => n !== 0))
}
