// Stops the test runner from tracking every promise, which takes an eighth of the CPU time of a test process. Node
// loads this module before the program.
//
// The runner tracks promises to name the test that caused an uncaught error. An uncaught error still fails the run
// under the name of the test file without this tracking, and this module prints the stack.

import hooks, { type HookCallbacks } from 'node:async_hooks'

const { createHook } = hooks

// The first async hook of a process belongs to the test runner.
hooks.createHook = (callbacks) => {
  hooks.createHook = createHook
  const withoutPromises: HookCallbacks & { readonly trackPromises: false } = {
    ...callbacks,
    trackPromises: false,
  }
  return createHook(withoutPromises)
}

const tell = (error: unknown): void => {
  process.stderr.write(`${(error as Error | undefined)?.stack ?? error}\n`)
}
process.on('uncaughtExceptionMonitor', tell)
process.on('unhandledRejection', tell)
