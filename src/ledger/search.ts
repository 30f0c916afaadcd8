export const SEARCHED_KINDS = ['job', 'document', 'run', 'workstream'] as const

export interface SearchHit {
  readonly kind: (typeof SEARCHED_KINDS)[number]
  readonly tenant_id: string
  readonly id: string
  readonly state: string
  readonly title: string
}

export interface SearchResult {
  readonly items: readonly SearchHit[]
  /** There are more, or not everything was looked at. */
  readonly is_more: boolean
}
