// Keeps the test runner from following every promise: that takes an eighth of a test process's CPU time. Loaded before it.
//
// The runner does so to name the test that an uncaught error belongs to. Without it such an error still fails the run,
// by the name of its file; here it is told where it was thrown.

import hooks, { type HookCallbacks } from 'node:async_hooks'

const { createHook } = hooks

// The first hook of a process is the runner's own.
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
