// What normalising takes of the numbering plans: named one by one, so that a bundle has no more.
export { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';
