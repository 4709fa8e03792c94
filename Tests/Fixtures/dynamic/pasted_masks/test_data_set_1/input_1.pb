BboxesJPoË•@®™AWËA•Bè–A)õAâqôAÕ BQ4ˆAd÷@
óðAŒ‰Aæb@oÔÚA‰·¨AzBÎhA´ÙžApžðAöòB