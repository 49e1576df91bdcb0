// Stops the test runner from tracking every promise, which takes an eighth of the CPU time of a test process. Loaded
// before the program.
//
// The runner tracks promises to name the test that caused an uncaught error. Without the tracking such an error still
// fails the run under the name of its file, and this file prints the stack.

import hooks, { type HookCallbacks } from 'node:async_hooks'

const { createHook } = hooks

// The first hook of a process is that of the runner.
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
