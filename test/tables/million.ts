// A ledger with a million rows in every large table: five tenants, one after the other, two jobs for each document, two hundred for
// each run; every second job sent a directive. All but the last jobs ended well, with a few exceptions, and the very last have directives that were not sent.
// Ids and times grow with the rows.
export const ROWS = 1_000_000
export const OPEN_JOBS = 20_000
export const JOBS_WITH_ROWS = 500

export const FIRST_AT = Date.UTC(2026, 0, 1)
/** Between one row and the next: nearly four months in all. */
export const STEP_MS = 10_000

export const tenantOf = (n: number): string => `t${Math.floor(n / 200_001)}`
export const jobOf = (n: number): string => `j${padded(n, 7)}`
export const documentOf = (n: number): string => `d${padded(n, 7)}`
export const runOf = (n: number): string => `r${padded(n, 4)}`
export const rowOf = (n: number): string => `o${padded(n, 7)}`

/** Names grow with what they count, so that an index is made of rows that are in order already. */
function padded(n: number, digits: number): string {
  return String(n).padStart(digits, '0')
}
