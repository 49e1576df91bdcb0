// Keyboard events during a login dialog over the page: other dialogs must not close on Escape, because they would lose
// their input.

import { type RefObject, useEffect } from 'react'

/** Function of the login dialog that handles Escape; undefined if no login dialog is open. */
let held: (() => void) | undefined

// The listener is on the window and is added before those of any dialog, because only the first listener can stop an
// event for all others.
window.addEventListener(
  'keydown',
  (event) => {
    if (held === undefined) return
    // The default actions of the browser for a key continue: input, focus changes, and sending the form.
    event.stopImmediatePropagation()
    if (event.key === 'Escape' && !event.isComposing) held()
  },
  { capture: true },
)

/** Limits keys and focus to the dialog inside `portal` while `opened` is true. */
export function useHeldKeys(
  opened: boolean,
  portal: RefObject<HTMLElement | null>,
  onEscape: () => void,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the action of Escape is the same while the dialog is open
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
      // A dialog that opens while it is loading does not return the focus by itself.
      if (before instanceof HTMLElement) setTimeout(() => before.focus({ preventScroll: true }))
    }
  }, [opened])
}
