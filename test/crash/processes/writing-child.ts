// A process to be killed: opens a ledger and writes to it with many callers, for ever, and says on standard output what was
// acknowledged. Lines are written at once, so that whatever was said before the end can be read after it.
import { readSync, writeSync } from 'node:fs'
import type { Command } from '../../../src/core/command.ts'
import { decide, keyOf } from '../../../src/core/command.ts'
import { openJournal } from '../../../src/store/journal/journal.ts'
import type { JournalStore } from '../../../src/store/journal/journal-store.ts'
import { moveDocument, submitJob } from '../../../src/testing/conformance/commands.ts'
import { realWorld } from '../../../src/world/world.ts'
import { CALLERS, JOURNAL, nameOfCaller, SHARED } from './what-is-written.ts'

const [folder, start] = process.argv.slice(2) as [string, 'at once' | 'when told']

function say(line: string): void {
  let left = Buffer.from(`${line}\n`)
  while (left.length > 0) left = left.subarray(writeSome(left))
}

const NEVER = new Int32Array(new SharedArrayBuffer(4))

/** Waits when whoever listens is slower than we speak. */
function writeSome(bytes: Uint8Array): number {
  try {
    return writeSync(1, bytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    Atomics.wait(NEVER, 0, 0, 1)
    return 0
  }
}

async function commit(store: JournalStore, command: Command): Promise<void> {
  const outcome = await store.transact([keyOf(command)], (given) => decide(command, given))
  if (!outcome.ok) throw new Error(outcome.refusal.message)
}

async function call(store: JournalStore, caller: number): Promise<never> {
  const id = nameOfCaller(caller)
  const before = await store.get({ kind: 'document', tenant_id: 'acme', id })
  for (let n = ((before?.metadata.n as number | undefined) ?? 0) + 1; ; n++) {
    const state = n % 2 === 0 ? 'fetched' : 'fetching'
    await commit(store, moveDocument(id, state, { validate: false, metadata: { n } }))
    say(`own ${caller} ${n}`)
    if (n % 4 === 0) {
      await commit(store, moveDocument(SHARED, state, { validate: false, metadata: { caller, n } }))
      say(`shared ${caller} ${n}`)
    }
    if (n % 16 === 0) {
      await commit(store, submitJob(`job-${caller}-${n}`, { inFlightLimit: 1e9 }))
      say(`job ${caller} ${n}`)
    }
  }
}

say('loaded')
if (start === 'when told') readSync(0, new Uint8Array(1))
const store = await openJournal(folder, realWorld, JOURNAL)
say('open')
await Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(store, caller)))
