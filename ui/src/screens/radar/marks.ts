/** How a cell shows its jobs: by shape as well as by colour. */
export const MARKS = [
  { name: 'waiting', mark: '○', tone: 'waiting', about: 'Nobody has begun with the stage' },
  { name: 'running', mark: '●', tone: 'busy', about: 'Somebody has it' },
  { name: 'retrying', mark: '↻', tone: 'retry', about: 'It failed and is to be tried again' },
] as const
