/** No tool: a job of this name waits for a person. */
export const HUMAN = 'human'

/** Whose steps are done by people: they say how such a step ended, as another scheduler would. */
export const HUMAN_LANE = `tool:${HUMAN}`
