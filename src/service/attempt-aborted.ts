export type AbortCode = 'CANCELLED' | 'LEASE_LOST' | 'SERVICE_STOPPED'

const MEANINGS: { readonly [code in AbortCode]: string } = {
  CANCELLED: 'The job is being cancelled',
  LEASE_LOST: 'The step is no longer held by this attempt',
  SERVICE_STOPPED: 'The service stopped before the step was done',
}

/** Why a handler is told to stop: the `reason` of its signal. */
export class AttemptAborted extends Error {
  readonly code: AbortCode

  constructor(code: AbortCode) {
    super(MEANINGS[code])
    this.name = 'AttemptAborted'
    this.code = code
  }
}
