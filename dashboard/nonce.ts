// The nonce of the content security policy, which allows the style elements of the dashboard.

declare global {
  // The component that prevents scrolling behind a dialog reads this variable.
  var __webpack_nonce__: string | undefined
}

export const nonce = document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? ''

globalThis.__webpack_nonce__ = nonce
