import type { Protocol, ProtocolStep } from '../../core/job/protocol.ts'
import { SECOND_MS } from '../../core/time.ts'

/** One step that a worker pulls from the queue `read`. */
export const PULLED: Protocol = {
  protocol_id: 'pulled.v1',
  request_type: 'READ',
  steps: [step('read', 'pull')],
}

/** Two steps that are pushed to services. */
export const PUSHED: Protocol = {
  protocol_id: 'pushed.v1',
  request_type: 'OCR->EMBEDDING',
  steps: [step('ocr', 'push'), step('embedding', 'push')],
}

/** A step that is pushed, one that is pulled and one that another scheduler runs, with short tempers. */
export const MIXED: Protocol = {
  protocol_id: 'mixed.v1',
  request_type: 'MIXED',
  steps: [
    {
      ...step('send', 'push'),
      policy: { max_attempts: 2, publish_tries: 2, ack_timeout_ms: 10 * SECOND_MS },
    },
    { ...step('read', 'pull'), policy: { lease_ms: 20 * SECOND_MS } },
    step('store', 'external'),
  ],
}

/** A pulled step of which only one may run at a time for a tenant. */
export const LIMITED: Protocol = {
  protocol_id: 'limited.v1',
  request_type: 'LIMITED',
  steps: [{ ...step('read', 'pull'), limits: [{ key: 'gpu', max: 1 }] }],
}

/** A pushed step that holds two limits. */
export const LIMITED_PUSH: Protocol = {
  protocol_id: 'limited-push.v1',
  request_type: 'LIMITED_PUSH',
  steps: [
    {
      ...step('send', 'push'),
      limits: [
        { key: 'gpu', max: 1 },
        { key: 'line', max: 2 },
      ],
    },
  ],
}

/** A pulled step of which two may begin in a minute for a tenant, and which may not take longer than its lease. */
export const RATED: Protocol = {
  protocol_id: 'rated.v1',
  request_type: 'RATED',
  steps: [
    {
      ...step('read', 'pull'),
      limits: [{ key: 'door', max: 2, per_ms: 60 * SECOND_MS }],
      policy: { lease_ms: 20 * SECOND_MS, timeout_ms: 30 * SECOND_MS },
    },
    { ...step('check', 'pull'), queue: 'read' },
  ],
}

/** Two pulled steps, the first of which waits until somebody says in the job's metadata that it may go. */
export const GATED: Protocol = {
  protocol_id: 'gated.v1',
  request_type: 'GATED',
  steps: [
    {
      ...step('read', 'pull'),
      gate: {
        name: 'go',
        when: { field: 'metadata.go', op: 'equals', value: true },
        timeout_ms: 60 * SECOND_MS,
      },
    },
    { ...step('check', 'pull'), queue: 'read' },
  ],
}

/** The first of three pulled steps waits for the job's document to be parsed, and then the last one is next. */
export const DOCUMENT_GATED: Protocol = {
  protocol_id: 'document-gated.v1',
  request_type: 'DOCUMENT_GATED',
  steps: [
    {
      ...step('read', 'pull'),
      gate: {
        name: 'parsed',
        when: { field: 'document.state', op: 'equals', value: 'parsed' },
        resume: 'index',
      },
    },
    { ...step('check', 'pull'), queue: 'read' },
    { ...step('index', 'pull'), queue: 'read' },
  ],
}

/** Stages that another scheduler runs, and reports as they come. */
export const OPEN_ENDED: Protocol = {
  protocol_id: 'open-ended.v1',
  request_type: 'OPEN_ENDED',
  steps: [{ ...step('bootstrap', 'external'), service: 'dagster', policy: { lease_ms: 60 * SECOND_MS } }],
}

/** A pulled step that takes the job's document along. */
export const MOVING: Protocol = {
  protocol_id: 'moving.v1',
  request_type: 'MOVING',
  steps: [
    {
      ...step('read', 'pull'),
      document: { enters: 'fetching', leaves: 'fetched' },
      policy: { max_attempts: 2, backoff: { kind: 'list', delaysMs: [SECOND_MS] } },
    },
    { ...step('check', 'pull'), queue: 'read', document: { enters: 'parsing', leaves: 'parsed' } },
  ],
}

function step(name: string, delivery: ProtocolStep['delivery']): ProtocolStep {
  return { step_id: name, step_type: name.toUpperCase(), service: name, delivery }
}
