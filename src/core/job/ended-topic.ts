export const ENDED_TOPIC = 'job:'

/** What jobs that depend on this one wait for. */
export function endedTopic(job_id: string): string {
  return `${ENDED_TOPIC}${job_id}`
}

/** The jobs whose ends are among these topics. */
export function jobsAmong(topics: readonly string[]): readonly string[] {
  return topics
    .filter((topic) => topic.startsWith(ENDED_TOPIC))
    .map((topic) => topic.slice(ENDED_TOPIC.length))
}
