import type { AuditEvent } from '../../core/audit.ts'
import type { Style } from './text-stream.ts'

/** Of whatever kind of record: states that go by the same name mean the same. */
const STATES: { readonly [state: string]: Style } = {
  SUCCEEDED: 'green',
  SENT: 'green',
  completed: 'green',
  succeeded: 'green',
  FAILED_FINAL: 'red',
  failed: 'red',
  FAILED_RETRY: 'yellow',
  retrying: 'yellow',
  paused: 'yellow',
  CANCELLING: 'yellow',
  CANCELLED: 'dim',
  cancelled: 'dim',
  blocked: 'yellow',
  PENDING: 'dim',
  skipped: 'dim',
  removed: 'dim',
  revoked: 'dim',
}

const EVENTS: { readonly [event in AuditEvent]?: Style } = { refused: 'red', ignored: 'dim', noted: 'yellow' }

export function stateStyle(state: string): Style | undefined {
  return STATES[state]
}

export function eventStyle(event: AuditEvent): Style | undefined {
  return EVENTS[event]
}
