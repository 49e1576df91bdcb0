// A button that starts a call or submits its form. The button keeps the focus during the call and while it is inactive,
// because a disabled button would lose the focus to the page.

import { Button, type ButtonProps, type ElementProps } from '@mantine/core'

export interface ActionButtonProps extends ButtonProps, ElementProps<'button', keyof ButtonProps> {}

export function ActionButton({ disabled = false, loading = false, onClick, ...props }: ActionButtonProps) {
  const isIdle = !disabled && !loading
  return (
    <Button
      {...props}
      // The property `disabled` would also become an attribute of the button.
      data-disabled={disabled || undefined}
      loading={loading}
      onClick={(event) => {
        // The Enter key in a field of the form also clicks this button.
        if (isIdle) onClick?.(event)
        else event.preventDefault()
      }}
      renderRoot={({ disabled: _, ...root }) => (
        <button {...root} aria-disabled={!isIdle || undefined} aria-busy={loading || undefined} />
      )}
    />
  )
}
