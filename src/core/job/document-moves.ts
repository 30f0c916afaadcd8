import type { LedgerRecord } from '../aggregate.ts'
import type { AuditEntry } from '../audit.ts'
import { type Accepted, type Decision, type Given, need, type Refused } from '../decision.ts'
import { decideDocument, type UpdateDocument } from '../document/decide.ts'
import type { DocumentRecord } from '../document/record.ts'
import type { DocumentState } from '../machines/document.ts'
import type { StageDocument } from '../pipeline/stage-document.ts'
import type { StepRecord } from './record.ts'
import { Stride } from './stride.ts'

/** Who asked for what moved the step. */
interface By {
  readonly actor: string
  readonly reason: string | null
}

/**
 * Moves a job's document along with the steps that name states for it, in the same commit. An edge that the document does not
 * have is recorded, and never keeps the step.
 */
export function withDocument<A>(decision: Decision<A>, by: By, given: Given): Decision<A> {
  // Nearly no job has such steps, and every decision comes by here. Jobs that were only submitted have not moved theirs.
  if (decision.kind !== 'change' || decision.change.births !== undefined) return decision
  if (decision.change instanceof Stride) return decision
  if (!decision.change.puts.some(movesDocument)) return decision
  const steps = decision.change.puts.filter(movesDocument)
  const moves = decision.change.audit.flatMap((entry) => movesOf(entry, steps))
  const first = moves[0]
  if (first === undefined) return decision
  const { tenant_id, doc_id } = first
  const document = given.get('document', tenant_id, doc_id)
  if (document === undefined) return need([{ kind: 'document', tenant_id, id: doc_id }])
  return moved(decision, document, moves, by, given)
}

interface Move {
  readonly tenant_id: string
  readonly doc_id: string
  readonly state: DocumentState
  readonly step: StepRecord
  readonly entry: AuditEntry
}

function movesDocument(put: LedgerRecord): put is StepRecord {
  return put.kind === 'step' && put.document !== null
}

/** Where the document goes with the states that a step went through. */
function movesOf(entry: AuditEntry, steps: readonly StepRecord[]): readonly Move[] {
  const { kind, event, tenant_id, doc_id, path } = entry
  // One that was taken over from another job, with what it came to, is done: nothing happens to the document now.
  if (kind !== 'step' || event !== 'moved' || doc_id === null || path[0] === null) return []
  // A job that takes over from it may have a step of the same name.
  const step = steps.find(
    ({ job_id, step_id }) => job_id === entry.job_id && step_id === entry.metadata.step_id,
  )
  if (step?.document == null) return []
  const moves = step.document
  return path.slice(1).flatMap((stepState) => {
    const state = stateWith(moves, stepState as string)
    return state === undefined ? [] : [{ tenant_id, doc_id, state, step, entry }]
  })
}

function stateWith({ enters, leaves, fails }: StageDocument, stepState: string): DocumentState | undefined {
  switch (stepState) {
    case 'IN_PROGRESS':
      return enters
    case 'SUCCEEDED':
      return leaves
    case 'FAILED_RETRY':
      // Else the next attempt could not enter it once more.
      return enters === undefined ? undefined : 'retrying'
    case 'FAILED_FINAL':
      return fails ?? 'failed'
    default:
      return undefined
  }
}

function moved<A>(
  decision: Accepted<A>,
  before: DocumentRecord | null,
  moves: readonly Move[],
  by: By,
  given: Given,
): Decision<A> {
  let document = before
  const audit: AuditEntry[] = []
  const signals = decision.change.signals.slice()
  for (const move of moves) {
    if (document?.state === move.state) continue
    const made = decideDocument(updateOf(move, by), seeing(given, document))
    if (made.kind === 'change') {
      document = made.answer
      audit.push(...made.change.audit)
      signals.push(...made.change.signals)
    } else {
      // It has the document, so nothing but a refusal is left, and a document's are all recorded.
      audit.push((made as Refused).audit as AuditEntry)
    }
  }
  const { change } = decision
  const puts = document === before || document === null ? change.puts : [...change.puts, document]
  return { ...decision, change: { ...change, puts, audit: [...change.audit, ...audit], signals } }
}

/** What is given, with a document as it is by now. */
function seeing(given: Given, document: DocumentRecord | null): Pick<Given, 'now' | 'get' | 'ownerOf'> {
  const get = (() => document) as unknown as Given['get']
  return { now: given.now, get, ownerOf: given.ownerOf }
}

function updateOf({ tenant_id, doc_id, state, step, entry }: Move, by: By): UpdateDocument {
  const { error_type, error_message } = entry
  const failed = state === 'failed' && error_type !== null
  return {
    type: 'updateDocument',
    tenant_id,
    doc_id,
    state,
    actor: by.actor,
    reason: by.reason,
    adapter: step.service,
    metadata: { job_id: step.job_id, step_id: step.step_id },
    error: failed ? { error_type, error_message: error_message as string, traceback: null } : undefined,
  }
}
