import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(max-width: 60rem)')

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

/** Whether an entry takes two lines, as log-list.module.css has it. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches)
}
