/** Why a handler's signal was aborted. */
export class WorkAborted extends Error {
  readonly code: 'CANCELLED' | 'TIMEOUT' | 'LEASE_LOST' | 'STOPPED'

  constructor(code: WorkAborted['code'], message: string) {
    super(message)
    this.name = 'WorkAborted'
    this.code = code
  }
}
