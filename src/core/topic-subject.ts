import type { AggregateKind } from './aggregate.ts'
import { DOCUMENT_TOPIC } from './document/topic.ts'
import { ENDED_TOPIC } from './job/ended-topic.ts'

/** The record whose changes signal a topic, for stores that keep with it who waits; null when a topic is nobody's. */
export function subjectOf(topic: string): { readonly kind: AggregateKind; readonly id: string } | null {
  if (topic.startsWith(ENDED_TOPIC)) return { kind: 'job', id: topic.slice(ENDED_TOPIC.length) }
  if (topic.startsWith(DOCUMENT_TOPIC)) return { kind: 'document', id: topic.slice(DOCUMENT_TOPIC.length) }
  return null
}
