import { useSyncExternalStore } from 'react'
import { usePreferences } from '../../app/preferences.ts'

const dark = matchMedia('(prefers-color-scheme: dark)')

function subscribe(listener: () => void): () => void {
  dark.addEventListener('change', listener)
  return () => dark.removeEventListener('change', listener)
}

/** Another text whenever the colours are others: what is painted on a canvas has to be painted again. */
export function useColorScheme(): string {
  const { theme } = usePreferences()
  const isDark = useSyncExternalStore(subscribe, () => dark.matches)
  return theme === 'system' ? (isDark ? 'dark' : 'light') : theme
}
