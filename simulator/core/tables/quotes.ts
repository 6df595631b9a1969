// Prices at which the simulator fills orders: fixed, so that a run can be repeated (NS-1).

const quotes: Readonly<Record<string, string>> = {
  EURUSD: '1.08500',
  GBPUSD: '1.27100',
  USDJPY: '151.250',
  XAUUSD: '2345.60',
  BTCUSD: '64250.00',
  US500: '5210.50',
};

/** The price of an instrument; one without a quote trades at 100.00. */
export function quote(instrument: string): string {
  return quotes[instrument.toUpperCase()] ?? '100.00';
}
