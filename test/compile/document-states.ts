// Compiled, never run: what the compiler must accept about document states, and what it must refuse.
import { getValidNextStates, isTerminalState, LedgerState, openLedger } from 'waybill'

const ledger = await openLedger('memory:')
const { documents } = ledger

// A state, as text or from the object of states.
await documents.updateState('doc:1', 'fetching')
await documents.updateState('doc:1', LedgerState.IR_READY)
const narrow: 'ir_ready' = LedgerState.IR_READY

// @ts-expect-error A misspelt state.
await documents.updateState('doc:1', 'fetchin')
// @ts-expect-error A state of another machine.
await documents.updateState('doc:1', 'IN_PROGRESS')
// @ts-expect-error Not a state of the object.
await documents.updateState('doc:1', LedgerState.IR_REDY)
// @ts-expect-error Just any text: it has to be looked at first.
await documents.updateState('doc:1', narrow as string)

// @ts-expect-error A misspelt state.
getValidNextStates('pendng')
// @ts-expect-error An old name is not a state.
isTerminalState('auto_done')
// @ts-expect-error A misspelt state in a filter.
await documents.list({ state: 'compleeted' })
// @ts-expect-error The same in a list of several.
await documents.list({ state: ['completed', 'skiped'] })

const document = await documents.updateState('doc:1', 'failed')
// @ts-expect-error A comparison that can never be true.
if (document.state === 'faild') throw new Error('unreachable')
// @ts-expect-error Records are not changed by hand.
document.state = 'completed'
