// A stopped node can be garbage-collected: no object that outlives the node refers to it.

import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { TestApp } from '../../support/app.ts'
import { until } from '../../support/test-clock.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Runs and stops a node; returns a weak reference to the node. */
async function stoppedNode(): Promise<WeakRef<object>> {
  const app = await TestApp.start()
  try {
    await app.messageIn(await app.send(), 'delivered')
    return new WeakRef(app.app)
  } finally {
    await app.stop()
  }
}

test('a node that has stopped holds no memory', async () => {
  const node = await stoppedNode()
  await until('the node is collected', () => {
    collectGarbage()
    return node.deref() === undefined
  })
})
