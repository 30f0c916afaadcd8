import { randomInt } from 'node:crypto'
import type { Change } from '../../src/core/decision.ts'
import type { SubmitJob } from '../../src/core/job/commands.ts'
import { decideJob } from '../../src/core/job/decide.ts'
import type { Protocol } from '../../src/core/job/protocol.ts'
import { isTerminal } from '../../src/core/machine.ts'
import { jobMachine } from '../../src/core/machines/job.ts'
import type { QueueRecord } from '../../src/core/queue/record.ts'
import { fromIso } from '../../src/core/time.ts'
import { isLong } from '../crash/random/seeds.ts'
import { type Action, actionsIn } from './actions.ts'
import { identityOf } from './identity.ts'
import {
  addressed,
  after,
  decideIn,
  EMPTY_SYSTEM,
  type Kernel,
  type SystemState,
  submit,
} from './job-system.ts'
import {
  checkChange,
  checkFence,
  checkPaused,
  checkReady,
  checkReleased,
  checkSettled,
  checkShape,
  checkState,
  checkStory,
} from './laws.ts'
import { checkChain, checkOpened, checkParked, endedByOthers } from './staged-laws.ts'

interface Node {
  readonly state: SystemState
  readonly from: Node | null
  readonly label: string
  readonly depth: number
  /** False once a crash has torn a change apart. */
  readonly whole: boolean
}

export interface Bounds {
  readonly depth: number
  readonly states: number
  /** Also let the process die between the rows of a change, as a store without transactions may. */
  readonly crashes: boolean
  /** With limits, and paused and resumed all the time; without, nobody ever touched it. */
  readonly queue?: QueueRecord
  /** What else the request says. */
  readonly request?: Partial<SubmitJob>
  /** The real one, unless a test plants a fault. */
  readonly kernel?: Kernel
}

export interface Explored {
  readonly states: number
  readonly transitions: number
  readonly depth: number
  readonly endings: readonly string[]
}

/** When there is room for no more states, what leads out of those that are left is looked at in one of so many, by chance these or those. */
const BEYOND_EVERY = isLong ? 1 : 8

/** Walks every state that can be reached within the bounds, breadth first, and checks the laws in each. */
export function explore(protocol: Protocol, bounds: Bounds): Explored {
  const kernel = bounds.kernel ?? decideJob
  const seen = new Set<string>()
  const endings = new Set<string>()
  let transitions = 0
  let depth = 0
  const queue: Node[] = []
  const visit = (node: Node) => {
    if (seen.size >= bounds.states) return
    const name = `${node.whole} ${identityOf(node.state)}`
    if (seen.has(name)) return
    seen.add(name)
    explained(node, () => checkNode(node, kernel))
    const job = node.state.aggregate?.job
    if (job && isTerminal(jobMachine, job.state)) endings.add(job.state)
    depth = Math.max(depth, node.depth)
    if (node.depth < bounds.depth) queue.push(node)
  }
  const empty = { ...EMPTY_SYSTEM, queue: bounds.queue ?? null }
  const start = { state: empty, from: null, label: 'nothing', depth: 0, whole: true }
  const first = explained(start, () =>
    step(start, submitAction(protocol, bounds.request), bounds.crashes, kernel),
  )
  for (const node of first) visit(node)
  const turn = randomInt(BEYOND_EVERY)
  for (const [nth, here] of queue.entries()) {
    if (seen.size >= bounds.states && nth % BEYOND_EVERY !== turn) continue
    for (const action of actionsIn(here.state, protocol, bounds.request)) {
      transitions++
      for (const next of explained(here, () => step(here, action, bounds.crashes, kernel), action.label))
        visit(next)
    }
  }
  return { states: seen.size, transitions, depth, endings: [...endings].sort() }
}

function submitAction(protocol: Protocol, request?: Partial<SubmitJob>): Action {
  return { label: 'submit', now: EMPTY_SYSTEM.now, command: submit(protocol, request) }
}

/** The states an action leads to: one, and with crashes one more for every row that may be the last written. */
function step(
  node: Node,
  { label, now, command, steer, document }: Action,
  crashes: boolean,
  kernel: Kernel,
): readonly Node[] {
  const { queue } = node.state
  const steered = steer === undefined || queue === null ? queue : { ...queue, state: steer }
  const before = { ...node.state, now, queue: steered, document: document ?? node.state.document }
  const to = (state: SystemState, what: string, whole: boolean): Node => ({
    state,
    from: node,
    label: what,
    depth: node.depth + 1,
    whole,
  })
  if (command === null) return [to(before, label, node.whole)]
  const { decision, idsMade } = decideIn(before, command, kernel)
  checkFence(before, command, decision)
  checkPaused(before, command, decision)
  if (decision.kind === 'need') throw new Error('everything is loaded, and it asked for more')
  if (decision.kind === 'refusal') return []
  const { change } = decision
  if (node.whole) {
    checkChange(before, change)
    checkReleased(before, command, change)
  }
  checkOpened(before, command, change)
  if (change.puts.length === 0) return []
  const whole = to(after(before, change, idsMade), label, node.whole)
  if (command.type === 'advanceJob') checkSettled(whole.state, kernel)
  if (!crashes || before.aggregate === null) return [whole]
  return [whole, ...torn(before, change, idsMade).map((state) => to(state, `${label}, torn`, false))]
}

function torn(before: SystemState, change: Change, idsMade: number): readonly SystemState[] {
  return change.puts.slice(1).map((_, i) => after(before, change, idsMade, change.puts.slice(0, i + 1)))
}

function checkNode(node: Node, kernel: Kernel): void {
  checkState(node.state)
  const settled = settledNow(node.state, kernel)
  checkShape(settled)
  checkParked(settled)
  checkChain(settled)
  if (node.whole) {
    checkShape(node.state)
    checkChain(node.state)
    checkStory(node.state)
    checkReady(settled, kernel)
  }
  checkEndsByTimers(settled, kernel)
}

/** Readiness is as of the last timer; look at it when nothing is overdue. */
function settledNow(state: SystemState, kernel: Kernel): SystemState {
  const { decision, idsMade } = decideIn(state, { ...addressed, type: 'advanceJob' }, kernel)
  if (decision.kind !== 'change') throw new Error('advance is never refused')
  return decision.change.puts.length === 0 ? state : after(state, decision.change, idsMade)
}

const MOST_TIMERS = 50

/** With nobody but the clock at work, the job ends; where there is no timer, somebody else has to be able to go on. */
function checkEndsByTimers(from: SystemState, kernel: Kernel): void {
  let state = from
  for (let fired = 0; fired < MOST_TIMERS; fired++) {
    const job = state.aggregate?.job
    if (job === undefined || isTerminal(jobMachine, job.state)) return
    state =
      job.due_at === null
        ? endedByOthers(state, kernel)
        : settledNow({ ...state, now: fromIso(job.due_at) }, kernel)
  }
  throw new Error(`not ended after ${MOST_TIMERS} timers`)
}

/** Runs a check; when it fails, says how the walk came there. */
function explained<T>(node: Node, check: () => T, then = ''): T {
  try {
    return check()
  } catch (error) {
    const path: string[] = then === '' ? [] : [then]
    for (let at: Node | null = node; at !== null; at = at.from) path.unshift(at.label)
    throw new Error(`${(error as Error).message}\n  by way of: ${path.join(' → ')}`, { cause: error })
  }
}
