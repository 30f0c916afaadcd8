export interface TenantList {
  readonly items: readonly Tenant[]
  readonly is_more: boolean
}

export interface Tenant {
  readonly tenant_id: string
  /** How many of its jobs have not ended. */
  readonly open: number
}
