const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** `12,345`. */
export function count(n: number): string {
  return WHOLE.format(n)
}

/** `12.3k`, where there is little room. */
export function short(n: number): string {
  if (n < 10_000) return count(n)
  if (n < 1_000_000) return `${(n / 1000).toFixed(n < 100_000 ? 1 : 0)}k`
  return `${(n / 1_000_000).toFixed(1)}M`
}

/** `at least 20,000` is shown as `20,000+`. */
export function counted({
  count: n,
  is_more,
}: {
  readonly count: number
  readonly is_more: boolean
}): string {
  return is_more ? `${count(n)}+` : count(n)
}

export function percent(part: number, whole: number): string {
  if (whole === 0) return '–'
  const share = (part / whole) * 100
  return share > 0 && share < 1 ? '<1 %' : `${Math.round(share)} %`
}

export function bytes(n: number): string {
  if (n < 1024) return `${n} B`
  if (n < 1024 ** 2) return `${(n / 1024).toFixed(1)} kB`
  if (n < 1024 ** 3) return `${(n / 1024 ** 2).toFixed(1)} MB`
  return `${(n / 1024 ** 3).toFixed(2)} GB`
}

/** `1 job`, `3 jobs`. */
export function many(n: number, one: string, more = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : more}`
}
