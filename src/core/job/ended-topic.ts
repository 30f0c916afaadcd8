const PREFIX = 'job:'

/** What jobs that depend on this one wait for. */
export function endedTopic(job_id: string): string {
  return `${PREFIX}${job_id}`
}

/** The jobs whose ends are among these topics. */
export function jobsAmong(topics: readonly string[]): readonly string[] {
  return topics.filter((topic) => topic.startsWith(PREFIX)).map((topic) => topic.slice(PREFIX.length))
}
