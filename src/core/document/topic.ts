/** What jobs wait for that stand at a gate until something becomes of a document. */
export function documentTopic(doc_id: string): string {
  return `document:${doc_id}`
}
