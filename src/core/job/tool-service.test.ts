import { expect, it } from 'vitest'
import { HUMAN, HUMAN_LANE, queueOfTool, toolOfService } from './tool-service.ts'

it('a tool and its queue stand for each other', () => {
  expect(queueOfTool('aider')).toBe('tool:aider')
  expect(toolOfService('tool:aider')).toBe('aider')
  expect(toolOfService('aider')).toBeNull()
  expect(queueOfTool(HUMAN)).toBe(HUMAN_LANE)
})
