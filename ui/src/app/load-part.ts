import { queryClient } from '../api/query-client.ts'
import { sessionQuery } from '../api/session.ts'

/**
 * Loads a part of the page that was left out at first. When its files do not come because nobody answers, that is what is wrong;
 * otherwise the server has others by now, and the page has to be loaded anew.
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
    throw error
  }
}
