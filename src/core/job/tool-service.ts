/** What queues, services and request types of tools begin with. */
export const TOOL = 'tool:'

/** No tool: a job of this name waits for a person. */
export const HUMAN = 'human'

/** Whose steps are done by people: they say how such a step ended, as another scheduler would. */
export const HUMAN_LANE = `${TOOL}${HUMAN}`

export function queueOfTool(tool: string): string {
  return `${TOOL}${tool}`
}

/** The tool that a service stands for; null when it is none. */
export function toolOfService(service: string): string | null {
  return service.startsWith(TOOL) ? service.slice(TOOL.length) : null
}
