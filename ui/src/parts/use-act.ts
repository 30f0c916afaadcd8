// Something that a reader does by hand: asked about, done, and told what came of it.
import { useQueryClient } from '@tanstack/react-query'
import type { RecordKind } from '../../../src/core/machines/all.ts'
import { type Question, useConfirm } from './confirm.tsx'
import { useToasts } from './toasts.tsx'

interface Act<T> {
  readonly question: Question
  readonly does: (reason: string) => Promise<T>
  /** What is said when it is done. */
  readonly said: (done: T) => string
  /** What is asked for again afterwards, whether it went well or not: who was refused looks at something old. */
  readonly topics: readonly RecordKind[]
}

/** Answers with what came of it; null when nothing did. */
export function useAct() {
  const confirm = useConfirm()
  const toasts = useToasts()
  const client = useQueryClient()
  return async <T>({ question, does, said, topics }: Act<T>): Promise<T | null> => {
    const confirmed = await confirm(question)
    if (confirmed === null) return null
    try {
      const done = await does(confirmed.reason)
      toasts.say(said(done))
      return done
    } catch (error) {
      toasts.fail(error)
      return null
    } finally {
      void client.invalidateQueries({
        predicate: ({ meta }) => meta?.topics?.some((topic) => topics.includes(topic)) === true,
      })
    }
  }
}
