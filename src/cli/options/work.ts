import { Option } from 'commander'
import { collect } from './collect.ts'
import { wholeNumber } from './numbers.ts'

/** What there is to do, and how much of it at once: for whoever works. */
export function workOptions(): readonly Option[] {
  return [
    new Option('--queue <name>', 'only this queue or service; repeat it for more').argParser(collect),
    new Option('--tools [names]', 'run tool jobs as well: of these tools, as in aider,git, or of all'),
    new Option('--no-tools', 'run no tool jobs'),
    new Option('--topology <file>', 'a pipeline in YAML; the module has its stages'),
    new Option('--concurrency <n>', 'how many may run at once; 10 unless told').argParser((text) =>
      wholeNumber('concurrency', text, 1),
    ),
  ]
}
