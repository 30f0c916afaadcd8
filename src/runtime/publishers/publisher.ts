import type { OutboxRecord } from '../../core/job/record.ts'
import type { JsonObject } from '../../core/json.ts'

/** Brings directives to services. The dispatcher calls it, and writes down how it went. */
export interface Publisher {
  /**
   * Resolves when the directive is safely with whoever is to have it; rejects when it is not, or when nobody knows. An
   * error with a `code` becomes the error of the outbox row.
   */
  publish(message: Message, signal: AbortSignal): Promise<void>
  close?(): Promise<void>
}

export interface Message {
  /** The same each time this directive is published: receivers can tell a repetition by it. */
  readonly outbox_id: string
  readonly topic: string
  readonly partition: number
  /** Who is to have it. */
  readonly service: string
  /** Publishes begun, this one included. */
  readonly tries: number
  readonly directive: JsonObject
}

/** A row of the outbox as a publisher gets it. The row does not say which service it was taken for. */
export function messageOf(row: OutboxRecord, service: string): Message {
  const { outbox_id, topic, partition, tries, payload } = row
  return { outbox_id, topic, partition, service, tries, directive: payload }
}
