export const DOCUMENT_TOPIC = 'document:'

/** What jobs wait for that stand at a gate until something becomes of a document. */
export function documentTopic(doc_id: string): string {
  return `${DOCUMENT_TOPIC}${doc_id}`
}
