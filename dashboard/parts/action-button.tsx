// A button that starts a call, also one that submits its form. It keeps the focus while the call is under way and when
// there is nothing to do: a disabled one would lose it to the page.

import { Button, type ButtonProps, type ElementProps } from '@mantine/core'

export interface ActionButtonProps extends ButtonProps, ElementProps<'button', keyof ButtonProps> {}

export function ActionButton({ disabled = false, loading = false, onClick, ...props }: ActionButtonProps) {
  const isIdle = !disabled && !loading
  return (
    <Button
      {...props}
      // `disabled` would be an attribute of the button as well.
      data-disabled={disabled || undefined}
      loading={loading}
      onClick={(event) => {
        // Also what the Enter key in a field of the form presses.
        if (isIdle) onClick?.(event)
        else event.preventDefault()
      }}
      renderRoot={({ disabled: _, ...root }) => (
        <button {...root} aria-disabled={!isIdle || undefined} aria-busy={loading || undefined} />
      )}
    />
  )
}
