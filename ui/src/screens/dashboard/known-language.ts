/**
 * uPlot writes numbers in the language of the browser as soon as it is loaded, and fails when that is a name which nobody
 * knows, as `en-US@posix` on some servers.
 */
export function ensureKnownLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language)
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true })
  }
}
