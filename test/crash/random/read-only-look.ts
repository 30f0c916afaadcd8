import assert from 'node:assert/strict'
import { openJournal } from '../../../src/store/journal/journal.ts'
import type { Store } from '../../../src/store/store.ts'
import { findIn } from '../../../src/testing/conformance/history/reference-reads.ts'
import { same, sameHistory } from '../../../src/testing/conformance/history/same.ts'
import { auditAll, findAll } from '../../../src/testing/conformance/reading.ts'
import { KINDS, type Looking } from '../compare-ledger.ts'
import { ExpectedLedger } from '../expected-ledger.ts'
import { FOLDER, type Life } from '../life.ts'

const PAGE = 1000

/**
 * Another process opens the ledger to read while this one writes. Each of its answers is that of a ledger that there was
 * since it asked, with whole commits only, and no later answer is older than an earlier one.
 */
export async function lookBeside(life: Life, looking: Looking): Promise<void> {
  const { world, witness } = life
  const count = witness.acknowledged().length
  const logged: string[] = []
  const note = (_: object, message: string) => void logged.push(message)
  const quiet = () => {}
  const logger = { debug: quiet, info: quiet, warn: note, error: note }
  const store = await openJournal(FOLDER, { ...world, logger }, { readOnly: true })
  try {
    const answers = await askAll(store, looking)
    const { storage } = await store.stats()
    assert.deepEqual([...logged, storage?.damage ?? null], [null], 'a reader beside a writer meets no damage')
    mustFollow(
      answers,
      witness.since(count).map((written) => new ExpectedLedger(written)),
    )
  } finally {
    await store.close()
  }
}

/** Throws when the ledger is another than the one that was seen. */
type Answer = (ledger: ExpectedLedger) => void

async function askAll(store: Store, { history }: Looking): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  const records = await auditAll(store, { limit: PAGE })
  answers.push(({ model: { log } }) => {
    const told = history === 'whole' ? log : log.slice(log.length - records.length)
    sameHistory(records, told, 'total', 'the history beside a writer')
  })
  for (const kind of KINDS) {
    const found = await findAll(store, { kind, limit: PAGE })
    answers.push(({ model }) => same(found, findIn(model, { kind }), `every ${kind} beside a writer`))
  }
  return answers
}

function mustFollow(answers: readonly Answer[], ledgers: readonly ExpectedLedger[]): void {
  let from = 0
  for (const answer of answers) {
    let problem: unknown
    const found = ledgers.findIndex((ledger, n) => {
      if (n < from) return false
      try {
        answer(ledger)
        return true
      } catch (error) {
        problem = error
        return false
      }
    })
    if (found === -1) throw problem
    from = found
  }
}
