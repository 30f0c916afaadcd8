// Node takes the types out of every source file whenever it starts; this has it remember the outcome, in the system's
// folder for temporary files. Loaded before everything else, and by worker threads too.
import { enableCompileCache } from 'node:module'

enableCompileCache()
