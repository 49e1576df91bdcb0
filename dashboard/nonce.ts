// The one-time word of the Content-Security-Policy that lets our own style elements in.

declare global {
  // Read by the component that keeps a page from scrolling under a dialog.
  var __webpack_nonce__: string | undefined
}

export const nonce = document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? ''

globalThis.__webpack_nonce__ = nonce
