// Keys while a login stands above the page: dialogs below it would close at Escape, and lose what was typed in them.

import { type RefObject, useEffect } from 'react'

/** Told of Escape by the dialog that holds the keys; undefined while none does. */
let held: (() => void) | undefined

// On the window and before any dialog: of its listeners the first can keep a key from the others.
window.addEventListener(
  'keydown',
  (event) => {
    if (held === undefined) return
    // What the browser does with a key by itself goes on: typing, moving on, sending the form.
    event.stopImmediatePropagation()
    if (event.key === 'Escape' && !event.isComposing) held()
  },
  { capture: true },
)

/** While `opened`, keys and the focus belong to the dialog inside `portal` alone. */
export function useHeldKeys(
  opened: boolean,
  portal: RefObject<HTMLElement | null>,
  onEscape: () => void,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what Escape does is the same while it is open
  useEffect(() => {
    if (!opened) return undefined
    held = onEscape
    const before = document.activeElement
    const own = portal.current?.closest('[data-portal]')
    const others = [...document.body.children].filter((one) => one !== own && !one.hasAttribute('inert'))
    for (const one of others) one.setAttribute('inert', '')
    return () => {
      held = undefined
      for (const one of others) one.removeAttribute('inert')
      // A dialog that is open as soon as it is loaded does not give the focus back by itself.
      if (before instanceof HTMLElement) setTimeout(() => before.focus({ preventScroll: true }))
    }
  }, [opened])
}
