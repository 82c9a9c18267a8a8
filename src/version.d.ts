/** Put in by the build from package.json. */
declare const __VERSION__: string;
/** And from the package that knows prices. */
declare const __PRICES__: string;
