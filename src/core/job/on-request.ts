import type { StepError } from './commands.ts'

/** Why something was cut short when somebody cancelled its job. */
export const ON_REQUEST: StepError = { code: 'CANCELLED', message: 'The job was cancelled' }
