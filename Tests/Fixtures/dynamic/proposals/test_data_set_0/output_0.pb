Bresult_boxesJÀÑ˜AÅ*BIàAYLB»ACµnA£ÏA	EñA–µ—AÈß×A¬+BÕÅBBBå	BÑ6>B†&SB ¸³@2@×ÄœA"ïAïDÇ@EjB{ßnAl’,Bµ
ÔAz§]AÅ)B&GâA_`B4C@ÖK6BßÚ
AaJB€PNA½_[BYvðAÙ{B"/B$·bBÅCOBPkA¥®AXÇîA“­Bòiõ@E>A†æ–A±®¨A