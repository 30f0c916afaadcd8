import { openLedger } from './open-ledger.ts'
import { type OrchestratorOptions, ToolOrchestrator } from './orchestrator/orchestrator.ts'

const DEFAULT_LEDGER = './ledger'

/**
 * Runs tool jobs: at once with `runJob`, or from a queue. What happens is kept in the store that is given, else in a ledger in
 * `./ledger`, which is opened when it is first needed.
 */
export class Orchestrator extends ToolOrchestrator {
  constructor(options: OrchestratorOptions = {}) {
    super(options, () => openLedger(DEFAULT_LEDGER))
  }
}
