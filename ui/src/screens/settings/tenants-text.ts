import { ALL_TENANTS } from '../../api/session.ts'

/** Tenants as somebody types them, with commas or spaces between; nothing stands for all of them. */
export function tenantsIn(text: string): readonly string[] {
  const named = [...new Set(text.split(/[\s,]+/).filter((part) => part !== ''))]
  return named.length === 0 || named.includes(ALL_TENANTS) ? [ALL_TENANTS] : named
}
