/** Under what name a job has a document's own key for itself. */
export function docKeyClaim(doc_key: string): string {
  return `doc_key:${doc_key}`
}
